// Which licences packages may have: permissive ones, those of a font, and MPL-2.0, whose duties end at its own files.
const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'OFL-1.1',
  'Unlicense',
])

/**
 * Judges an SPDX expression: of `A OR B` one must be allowed, of `A AND B` both; AND binds closer. Anything that is
 * no such expression (UNLICENSED, SEE LICENSE IN …, WITH an exception) is not allowed.
 * @param {string | undefined} licence
 * @returns {boolean}
 */
export function isLicenceAllowed(licence) {
  const tokens = licence?.match(/[()]|[^\s()]+/g) ?? []
  let position = 0
  /** @returns {boolean} */
  const readOne = () => {
    const token = tokens[position++] ?? ''
    if (token !== '(') return allowed.has(token)
    const isAllowed = readAny()
    return tokens[position++] === ')' && isAllowed
  }
  const readAll = () => {
    let isAllowed = readOne()
    while (tokens[position] === 'AND' && position++) isAllowed = readOne() && isAllowed
    return isAllowed
  }
  const readAny = () => {
    let isAllowed = readAll()
    while (tokens[position] === 'OR' && position++) isAllowed = readAll() || isAllowed
    return isAllowed
  }
  return readAny() && position === tokens.length
}
