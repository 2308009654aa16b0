/**
 * One URL for each host of a list, as libpq takes it:
 * 'postgres://…@one:5432,other:5432/patio?target_session_attrs=read-write'.
 * @throws TypeError when it is no URL
 */
export function urlsOfHosts(url: string): string[] {
  const [, before = '', hosts = '', behind = ''] = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/.exec(url) ?? []
  return hosts.split(',').map((host) => {
    const single = new URL(`${before}${host}${behind}`)
    // It is what is asked of every server anyway.
    single.searchParams.delete('target_session_attrs')
    return single.href
  })
}

const WRITING = ['read-write', 'primary']

/** One host or several, of which one that writes is wanted. */
export function isPostgresUrl(value: string): boolean {
  try {
    const attributes = new URL(value.replace(/,[^/?#]*/, '')).searchParams.getAll('target_session_attrs')
    const isWriting = attributes.every((wanted) => WRITING.includes(wanted))
    return isWriting && urlsOfHosts(value).every((url) => /^postgres(ql)?:$/.test(new URL(url).protocol))
  } catch {
    return false
  }
}
