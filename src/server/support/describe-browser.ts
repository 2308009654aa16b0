/** In the order in which they must be looked for: most call themselves Chrome and Safari too. */
const BROWSERS: [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\bSamsungBrowser\/(\d+)/, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS)\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+)\S* (?:Mobile\/\S+ )?Safari\//, 'Safari'],
]
const SYSTEMS: [RegExp, string][] = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]
const LONGEST = 80

/** A User-Agent in short, 'Chrome 141, Windows'; the beginning of one that is not known. */
export function describeBrowser(userAgent: string | null): string {
  if (!userAgent) return 'não informado'
  for (const [pattern, name] of BROWSERS) {
    const version = pattern.exec(userAgent)?.[1]
    if (!version) continue
    const system = SYSTEMS.find(([of]) => of.test(userAgent))?.[1]
    return system ? `${name} ${version}, ${system}` : `${name} ${version}`
  }
  return userAgent.slice(0, LONGEST)
}
