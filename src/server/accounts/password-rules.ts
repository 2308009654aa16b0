import {
  findGuessableParts,
  findRepeatedUnit,
  foldCharacters,
  formatGuessableParts,
  type PersonalWords,
  replaceLookAlikes,
} from '#contract/guessable-passwords.ts'
import { readCatalogue } from '#server/catalogue/catalogue.ts'
import type { Db } from '#server/database/schema.ts'
import { ProblemError } from '#server/http/problem-error.ts'

/** Shorter parts occur in good passwords by chance. */
const MIN_WORD = 4

/** Common Brazilian passwords that the library's international list lacks. */
const BRAZILIAN_PASSWORDS = `
  senha senhas minhasenha mudar mudeasenha trocar trocarsenha bemvindo bomdia teste brasil
  flamengo corinthians palmeiras saopaulo vasco cruzeiro gremio administrador concessionaria jesuscristo deusefiel
`

interface CommonWords {
  words: ReadonlySet<string>
  maxLength: number
}

let loaded: Promise<CommonWords> | undefined

/** Loads the offline list of common and leaked passwords, in lower case. */
async function loadCommonWords(): Promise<CommonWords> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  const words = [...dictionary['passwords-common'], ...BRAZILIAN_PASSWORDS.trim().split(/\s+/)]
  return { words: new Set(words), maxLength: Math.max(...words.map(({ length }) => length)) }
}

/** Returns names known throughout the group: its areas and brands. */
async function listKnownNames(db: Db): Promise<string[]> {
  const { types, marcas } = await readCatalogue(db)
  return [...types, ...marcas].flatMap(({ code, label }) => [code, label])
}

/**
 * Rejects common, leaked and personal passwords, and those made only of known names and common words.
 * The message names the guessable part.
 * @throws ProblemError password-rejected
 */
export async function rejectGuessablePassword(
  { db, groupName }: { db: Db; groupName: string },
  { password, email }: { password: string; email: string },
): Promise<void> {
  const parts = await findGuessableOrLeaked(password, { email, groupName, names: await listKnownNames(db) })
  const reason = formatGuessableParts(parts)
  if (!reason) return
  const message = `Fácil de adivinhar: ${reason}.`
  throw new ProblemError('password-rejected', { fields: [{ path: 'password', message }] })
}

/**
 * Finds guessable parts, including common passwords with digits or symbols around them (Senha2026!).
 * Not @zxcvbn-ts/core: it knows no names, and 'p4$$w0rd' repeated 16 times blocks it for a second.
 */
export async function findGuessableOrLeaked(password: string, about: PersonalWords): Promise<string[]> {
  loaded ??= loadCommonWords()
  const parts = findGuessableParts(password, about)
  if (parts.length > 0) return parts
  const plain = foldCharacters(password)
  const common = findCommon(plain, await loaded) ?? findCommon(findRepeatedUnit(plain) ?? '', await loaded)
  return common ? [common] : []
}

function findCommon(password: string, common: CommonWords): string | undefined {
  return listCores(password, common.maxLength).find((core) =>
    [core, ...replaceLookAlikes(core)].some((reading) => common.words.has(reading)),
  )
}

/** Lists a password's substrings of word length, without leading and trailing digits and symbols. */
function listCores(password: string, maxLength: number): string[] {
  const first = password.search(/[a-z]/)
  if (first < 0) return [password]
  const last = password.search(/[a-z][^a-z]*$/)
  const cores: string[] = []
  // Longest first: 'p4ssw0rd' is more useful than the word inside it.
  for (let start = Math.max(0, last + 1 - maxLength); start <= first; start++)
    for (let end = Math.min(password.length, start + maxLength); end > last; end--)
      if (end - start >= MIN_WORD) cores.push(password.slice(start, end))
  return cores
}
