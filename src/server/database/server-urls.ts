/**
 * Splits a URL with several hosts as libpq does:
 * 'postgres://…@one:5432,other:5432/patio?target_session_attrs=read-write'.
 * @throws TypeError if it is not a URL
 */
export function splitHosts(url: string): string[] {
  const [, before = '', hosts = '', behind = ''] = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/.exec(url) ?? []
  return hosts.split(',').map((host) => {
    const single = new URL(`${before}${host}${behind}`)
    // Every server is checked for this anyway.
    single.searchParams.delete('target_session_attrs')
    return single.href
  })
}

const WRITING = ['read-write', 'primary']

/** Checks for one host, or several of which a writable one is wanted. */
export function isPostgresUrl(value: string): boolean {
  try {
    const attributes = new URL(value.replace(/,[^/?#]*/, '')).searchParams.getAll('target_session_attrs')
    const isWriting = attributes.every((wanted) => WRITING.includes(wanted))
    return isWriting && splitHosts(value).every((url) => /^postgres(ql)?:$/.test(new URL(url).protocol))
  } catch {
    return false
  }
}
