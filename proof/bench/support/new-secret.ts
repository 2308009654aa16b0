import { randomBytes } from 'node:crypto'

/** A SESSION_SECRET that several portals, a portal that is started again, or the program itself can share. */
export const newSecret = (): string => randomBytes(32).toString('base64url')
