/** Lower case without accents, as fold_text() of the database makes it of e-mail and name. */
export function foldText(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
}
