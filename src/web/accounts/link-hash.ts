let kept: string | undefined

/** Puts the part behind '#' of a mailed link aside, so that its token can leave the address bar at once. */
export function keepLinkHash(hash: string): void {
  kept = hash
}

/** What keepLinkHash put aside, once. */
export function takeLinkHash(): string {
  const hash = kept ?? ''
  kept = undefined
  return hash
}
