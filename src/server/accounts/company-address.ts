import { signUpMessages } from '#contract/accounts.ts'
import { ProblemError } from '#server/http/problem-error.ts'

/** Dot-atom characters of RFC 5322 in ASCII alone: no quoted local part, no look-alikes, no control characters. */
const LOCAL_PART = /^[\w.!#$%&'*+/=?^`{|}~-]+$/

/**
 * The address of a new account, in lower case, if it belongs to the company (SPEC section 5). Its letters are
 * looked at before their case is folded, because folding turns some look-alikes into ASCII.
 * @param domain COMPANY_EMAIL_DOMAIN, compared exactly: a subdomain is another one
 * @throws ProblemError invalid-input
 */
export function companyAddress(typed: string, domain: string): string {
  const address = typed.toLowerCase()
  const at = address.lastIndexOf('@')
  const isOfCompany =
    isAscii(typed) && LOCAL_PART.test(address.slice(0, at)) && address.slice(at + 1) === domain
  if (isOfCompany) return address
  const message = signUpMessages.domain(`@${domain}`)
  throw new ProblemError('invalid-input', { detail: message, fields: [{ path: 'email', message }] })
}

function isAscii(text: string): boolean {
  return [...text].every((character) => character > ' ' && character <= '~')
}
