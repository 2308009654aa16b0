import { ProblemError } from '#server/http/problem-error.ts'

/** Whom and what a password must not be made of. */
interface PersonalWords {
  email: string
  groupName: string
}

const PRODUCT_NAME = 'Pátio'
/** Parts that are shorter turn up in good passwords by chance. */
const MIN_WORD = 4
/** Says nothing of a group; a password that holds it is no easier to guess. */
const ORDINARY_WORDS = ['grupo', 'group', 'auto', 'autos', 'veiculos']
/** Not much is gained by repeating something this short. */
const SHORT_UNIT = 4
/** A few characters of Unicode fold to eighteen; no more than this is looked at. */
const MAX_FOLDED = 256

/** Favourites of Brazilian password lists that the library's international one lacks. */
const BRAZILIAN = `
  senha senhas minhasenha mudar mudeasenha trocar trocarsenha bemvindo bomdia teste brasil
  flamengo corinthians palmeiras saopaulo vasco cruzeiro gremio administrador concessionaria jesuscristo deusefiel
`

/** Each character and, below it, the letter that it is read as. */
const LOOK_ALIKES = '02345789@$€+'
const LETTERS = 'ozeastbgaset'

interface CommonWords {
  words: ReadonlySet<string>
  maxLength: number
}

let loaded: Promise<CommonWords> | undefined

/** The offline list of common and leaked passwords, in lower case; loaded when it is first asked for. */
async function loadCommonWords(): Promise<CommonWords> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  const words = [...dictionary['passwords-common'], ...BRAZILIAN.trim().split(/\s+/)]
  return { words: new Set(words), maxLength: Math.max(...words.map(({ length }) => length)) }
}

/**
 * Refuses common, leaked and personal passwords in the generic words of the rule.
 * @throws ProblemError password-rejected
 */
export async function refuseGuessable(
  { groupName }: Pick<PersonalWords, 'groupName'>,
  { password, email }: { password: string; email: string },
): Promise<void> {
  if (await isGuessable(password, { email, groupName })) throw new ProblemError('password-rejected')
}

/**
 * Whether a password is common or leaked, or holds the person's e-mail, the group's or the product's name;
 * letter case, accents, look-alike digits (p4ti0) and what is put around a common password (Senha2026!) hide
 * nothing. Not @zxcvbn-ts/core: it knows no such names, and 'p4$$w0rd' said 16 times holds it up for a second.
 */
export async function isGuessable(password: string, about: PersonalWords): Promise<boolean> {
  loaded ??= loadCommonWords()
  const plain = fold(password).slice(0, MAX_FOLDED)
  return isCommon(plain, await loaded) || holdsAny(plain, personalWords(about))
}

/** Without accents and capitals. */
function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}

/** The ways of reading look-alike characters as letters: 1, ! and | may stand for i or l. */
function readAsLetters(text: string): string[] {
  const letters = text.replace(/[02345789@$€+]/g, (found) => LETTERS.charAt(LOOK_ALIKES.indexOf(found)))
  return ['i', 'l'].map((letter) => letters.replace(/[1!|]/g, letter))
}

function isCommon(password: string, common: CommonWords): boolean {
  const unit = repeatedUnit(password)
  if (unit !== undefined && (unit.length <= SHORT_UNIT || isCommon(unit, common))) return true
  if (isSequence(password)) return true
  return coresOf(password, common.maxLength).some((core) =>
    [core, ...readAsLetters(core)].some((reading) => common.words.has(reading)),
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

/** What is left of a password without digits and symbols at its ends, as far as it is not too long for a word. */
function coresOf(password: string, maxLength: number): string[] {
  const first = password.search(/[a-z]/)
  if (first < 0) return [password]
  const last = password.search(/[a-z][^a-z]*$/)
  const cores: string[] = []
  for (let start = Math.max(0, last + 1 - maxLength); start <= first; start++)
    for (let end = last + 1; end <= Math.min(password.length, start + maxLength); end++)
      if (end - start >= MIN_WORD) cores.push(password.slice(start, end))
  return cores
}

function personalWords({ email, groupName }: PersonalWords): string[] {
  const [local = '', domain = ''] = fold(email).split('@')
  const names = [fold(groupName), fold(PRODUCT_NAME)]
  const parts = [...local.split(/[^a-z]+/), ...names.flatMap((name) => name.split(/[^a-z0-9]+/))]
  const wholes = [local, domain.split('.')[0] ?? '', ...names].map(lettersAlone)
  return [...parts, ...wholes].filter((word) => word.length >= MIN_WORD && !ORDINARY_WORDS.includes(word))
}

function lettersAlone(text: string): string {
  return text.replace(/[^a-z0-9]/g, '')
}

function holdsAny(plain: string, words: string[]): boolean {
  const readings = [plain, lettersAlone(plain), ...readAsLetters(plain).map(lettersAlone)]
  return words.some((word) => readings.some((reading) => reading.includes(word)))
}
