// Links as the reports screen shows them; the rules for pasted ones are in share-url.ts.

/** A parameter of a link: decoded, and as the link spells it. */
export interface LinkParameter {
  name: string
  /** The name as the service compares it. */
  key: string
  value: string
  raw: string
}

/** What the portal replaces when it shows a report, unless it has that value; all else is kept. */
const REPLACED_WHEN_SHOWN = new Map([
  ['filter', undefined],
  ['$filter', undefined],
  ['filterpaneenabled', 'false'],
  ['autoauth', 'true'],
])

export function isReplaced({ key, value }: LinkParameter): boolean {
  return REPLACED_WHEN_SHOWN.has(key) && REPLACED_WHEN_SHOWN.get(key) !== value.toLowerCase()
}

export function parseParameters({ search }: URL): LinkParameter[] {
  const parts = search.slice(1).split('&')
  return parts.filter(Boolean).map((raw) => {
    // The '&' keeps a '?' that begins a name.
    const [[name, value] = ['', '']] = new URLSearchParams(`&${raw}`)
    return { name, key: foldName(name), value, raw }
  })
}

/** Folds a name: neither case nor blanks nor a second encoding may hide a filter. */
function foldName(name: string): string {
  const folded = decodeText(name).trim().toLowerCase()
  return folded === name ? name : foldName(folded)
}

/** Returns a parameter; the service ignores the case of names. */
export function getParameter(url: URL, name: string): string | undefined {
  return parseParameters(url).find(({ key }) => key === name.toLowerCase())?.value
}

/** Sets what the portal shows a report with, instead of what is replaced; the rest keeps its spelling. */
export function setShownParameters(url: URL, own: Record<string, string>, isLost = isReplaced): void {
  const kept = parseParameters(url).filter((each) => !isLost(each))
  const added = Object.entries(own).filter(([name]) => !kept.some(({ key }) => key === name.toLowerCase()))
  const texts = added.map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  url.search = [...kept.map(({ raw }) => raw), ...texts].join('&')
}

/**
 * Returns what a link shows in a frame: an embedded report, a paginated one, or what is published to
 * the web ('/view?r=…' in any notation). All other pages refuse to be framed.
 */
export function getFrameKind(url: URL): 'report' | 'rdl' | 'view' | undefined {
  const kind = /^\/+(?:(report|rdl)Embed|(view))\/*$/i.exec(decodeText(url.pathname))
  if (kind?.[2]) return getParameter(url, 'r') === undefined ? undefined : 'view'
  return kind?.[1]?.toLowerCase() as 'report' | 'rdl' | undefined
}

/** Decodes a path or a name as the service does; invalid escapes stay. */
export function decodeText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
