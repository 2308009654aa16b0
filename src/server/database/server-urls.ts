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

/** Formats host, port and database of a URL, never its password. */
export function formatLocation(url: string): string {
  const urls = splitHosts(url).map((each) => new URL(each))
  return `${urls.map(({ host }) => host || 'localhost')}${urls[0]?.pathname}`
}

/** Reads the names for commands that mend a database, as SQL identifiers; a message may name some. */
export function readPlace(url: string | undefined, message: string): Record<string, string | undefined> {
  const { username = '', pathname = '' } = url ? new URL(splitHosts(url)[0] as string) : {}
  const quote = (name: string | undefined) =>
    !name || /^[a-z_][a-z0-9_]*$/.test(name) ? name || undefined : `"${name.replaceAll('"', '""')}"`
  return {
    user: quote(decodeURIComponent(username)),
    database: quote(decodeURIComponent(pathname.slice(1))),
    schema: quote(/(?:schema|esquema) "?([^\s"]+)/.exec(message)?.[1]),
    owner: /owned by (.+)/.exec(message)?.[1],
  }
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
