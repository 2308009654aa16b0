/** The lists that administrators change, as a sentence names them. */
export const LIST_NAMES = { types: 'tipos', marcas: 'marcas', estados: 'estados' } as const
export type ListName = keyof typeof LIST_NAMES
const NAMES = Object.keys(LIST_NAMES) as ListName[]

type State = Readonly<Record<string, unknown>>

/** What came and what went: '+ CRM, + HPD, − Vendas'; empty when nothing did. */
function describeDifference(before: readonly string[], after: readonly string[]): string {
  const came = after.filter((item) => !before.includes(item)).map((item) => `+ ${item}`)
  const went = before.filter((item) => !after.includes(item)).map((item) => `− ${item}`)
  return [...came, ...went].join(', ')
}

/** The lists that differ between two states, each with what came and went. */
export function differencesBetween(before: State, after: State): { name: ListName; difference: string }[] {
  return NAMES.map((name) => ({
    name,
    difference: describeDifference(listOf(before, name), listOf(after, name)),
  })).filter(({ difference }) => difference !== '')
}

/** The differences in one line: 'tipos + CRM; marcas − FIAT'. */
export function joinDifferences(differences: readonly { name: ListName; difference: string }[]): string {
  return differences.map(({ name, difference }) => `${LIST_NAMES[name]} ${difference}`).join('; ')
}

function listOf(state: State, name: ListName): string[] {
  const list = state[name]
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : []
}
