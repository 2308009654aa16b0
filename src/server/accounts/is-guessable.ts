/** Whom and what a password must not be made of. */
export interface PersonalWords {
  email: string
  groupName: string
}

const PRODUCT_NAME = 'Pátio'
/** Parts that are shorter turn up in good passwords by chance. */
const SHORTEST_WORD = 4
/** Says nothing of a group; a password that holds it is no easier to guess. */
const ORDINARY_WORDS = ['grupo', 'group', 'auto', 'autos', 'veiculos']
/** Nobody gains much by repeating something this short. */
const SHORT_UNIT = 4

const LOOK_ALIKES: Record<string, string> = {
  '0': 'o',
  '2': 'z',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '8': 'b',
  '9': 'g',
  '@': 'a',
  $: 's',
  '€': 'e',
  '+': 't',
}

/**
 * Whether a password is common or leaked, or holds the person's e-mail, the group's or the product's name;
 * letter case, accents, look-alike digits (p4ti0) and what is put around a common password (Senha2026!) hide
 * nothing.
 * @param common words in lower case
 */
export function isGuessable(password: string, about: PersonalWords, common: ReadonlySet<string>): boolean {
  return isCommon(withoutAccents(password), common) || holdsAny(password, personalWords(about))
}

function withoutAccents(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}

/** The ways of reading look-alike characters as letters: 1, ! and | may stand for i or l. */
function readAsLetters(text: string): string[] {
  const letters = text.replace(/[02345789@$€+]/g, (character) => LOOK_ALIKES[character] as string)
  return ['i', 'l'].map((letter) => letters.replace(/[1!|]/g, letter))
}

function isCommon(password: string, common: ReadonlySet<string>): boolean {
  const unit = repeatedUnit(password)
  if (unit !== undefined && (unit.length <= SHORT_UNIT || isCommon(unit, common))) return true
  if (isSequence(password)) return true
  return coresOf(password).some(
    (core) => common.has(core) || readAsLetters(core).some((reading) => common.has(reading)),
  )
}

/** 'abcabcabc' → 'abc'; undefined for what repeats nothing. */
function repeatedUnit(text: string): string | undefined {
  const period = (text + text).indexOf(text, 1)
  return period < text.length ? text.slice(0, period) : undefined
}

/** Each character follows the last one, up or down: '123456789012', 'abcdefghijkl'. */
function isSequence(text: string): boolean {
  const codes = [...text].map((character) => character.charCodeAt(0))
  const steps = codes.slice(1).map((code, index) => code - (codes[index] as number))
  return [1, -1].some((step) => steps.every((found) => found === step || found === -9 * step))
}

/** The password itself and what is left of it without digits and symbols at its ends. */
function coresOf(password: string): string[] {
  const ends = /^([^a-z]*)(.*?)([^a-z]*)$/s.exec(password)
  const [, before = '', , after = ''] = ends ?? []
  const cores: string[] = []
  for (let cut = 0; cut <= before.length; cut++)
    for (let left = 0; left <= after.length; left++) {
      const core = password.slice(cut, password.length - left)
      if (core.length >= SHORTEST_WORD && (/[a-z]/.test(core) || core === password)) cores.push(core)
    }
  return cores
}

function personalWords({ email, groupName }: PersonalWords): string[] {
  const [local = '', domain = ''] = withoutAccents(email).split('@')
  const names = [withoutAccents(groupName), withoutAccents(PRODUCT_NAME)]
  const parts = [...local.split(/[^a-z]+/), ...names.flatMap((name) => name.split(/[^a-z0-9]+/))]
  const wholes = [local, domain.split('.')[0] ?? '', ...names].map(lettersAlone)
  return [...parts, ...wholes].filter(
    (word) => word.length >= SHORTEST_WORD && !ORDINARY_WORDS.includes(word),
  )
}

function lettersAlone(text: string): string {
  return text.replace(/[^a-z0-9]/g, '')
}

function holdsAny(password: string, words: string[]): boolean {
  const plain = withoutAccents(password)
  const readings = [plain, lettersAlone(plain), ...readAsLetters(plain).map(lettersAlone)]
  return words.some((word) => readings.some((reading) => reading.includes(word)))
}
