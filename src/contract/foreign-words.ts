const MAX_LENGTH = 500

/**
 * Quotes what another program said: one line of at most 500 characters, without addresses, and without
 * what is long enough to be a token. Ids of requests stay.
 */
export const quoteForeignWords = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/("[^"]*"|[^\s<>()[\]"',;:=]+)@/g, '***@')
    .replace(/[\w-]{40,}/g, '***')
    .trim()
    .slice(0, MAX_LENGTH)
