import { ProblemError } from '#server/http/problem-error.ts'
import { loadCommonPasswords } from './common-passwords.ts'
import { isGuessable, type PersonalWords } from './is-guessable.ts'

/**
 * Refuses common, leaked and personal passwords in SPEC section 8's generic words.
 * @throws ProblemError password-rejected
 */
export async function refuseGuessable(password: string, about: PersonalWords): Promise<void> {
  if (isGuessable(password, about, await loadCommonPasswords())) throw new ProblemError('password-rejected')
}
