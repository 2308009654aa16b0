const lists = new Intl.ListFormat('pt-BR')

/** Joins names for a sentence: 'Vendas, HPD e CRM'. Rows of a table share one formatter, which is dear to make. */
export function formatList(names: Iterable<string>): string {
  return lists.format(names)
}
