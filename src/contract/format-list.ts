let lists: Intl.ListFormat | undefined

/**
 * Joins names for a sentence: 'Vendas, HPD e CRM'. Rows of a table share one formatter, which is dear
 * to make, and is not made before it is needed: it would delay the server's start by 15 ms.
 */
export function formatList(names: Iterable<string>): string {
  lists ??= new Intl.ListFormat('pt-BR')
  return lists.format(names)
}
