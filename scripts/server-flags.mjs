/**
 * How the server's Node is started. Small heaps keep resident memory low, which V8 would let grow for no measurable
 * speed; the portal's live heap is about 30 MB. Without links to follow, looking modules up is quicker.
 */
export const serverFlags = [
  '--max-semi-space-size=4',
  '--max-old-space-size=384',
  '--preserve-symlinks',
  '--preserve-symlinks-main',
]
