import { createHash, timingSafeEqual } from 'node:crypto'

/** Whether an Authorization header carries the token that opens the routes for operators. */
export type IsOperator = (authorization: string | undefined) => boolean

/** For portals without such routes, or without a token: nobody. */
export const nobodyIsOperator: IsOperator = () => false

/**
 * Makes the check, in constant time whatever is presented.
 * @param token undefined closes the routes to everybody
 */
export function createIsOperator(token: string | undefined): IsOperator {
  if (!token) return nobodyIsOperator
  const expected = digestOf(token)
  return (authorization) => {
    const presented = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1]
    return presented !== undefined && timingSafeEqual(digestOf(presented), expected)
  }
}

/** Of one length, as the comparison demands. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
