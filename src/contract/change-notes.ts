// What is worth saying of a change of access before it is made, wherever one is shown.
import { type Entitlements, LISTS, type ListName } from './entitlement-lists.ts'
import { formatList } from './format-list.ts'

export interface ChangeNotes {
  /** Who would have nothing left of these lists: how many, and the first of them by name. */
  emptied: { lists: ListName[]; count: number; names: string[] }[]
  /** Of all who were chosen: oneself, other administrators, people without approval. */
  includesSelf: boolean
  admins: number
  unapproved: number
}

export const MAX_NOTED = 10

/** A person or several whom a change gives `after`; without `before` they have nothing yet. */
export interface NotedChange {
  before?: Partial<Entitlements> | undefined
  after: Partial<Entitlements>
  names: readonly string[]
}

/**
 * Decides who is left without a list: those whose last item of it goes, or who begin without one.
 * @param hasReport whether an area counts as a report
 */
export function noteChanges(
  changes: readonly NotedChange[],
  hasReport = (_area: string) => true,
): ChangeNotes {
  const isEmptied = (had: readonly string[] | undefined, has: readonly string[] | undefined) =>
    has?.length === 0 && had?.length !== 0
  const emptied = new Map<string, ChangeNotes['emptied'][number]>()
  for (const { before, after, names } of changes) {
    const lists = LISTS.filter(
      (list) =>
        isEmptied(before?.[list], after[list]) ||
        (list === 'types' && isEmptied(before?.types?.filter(hasReport), after.types?.filter(hasReport))),
    )
    if (lists.length === 0) continue
    const known = emptied.get(lists.join()) ?? { lists, count: 0, names: [] }
    known.count += names.length
    known.names.push(...names.slice(0, MAX_NOTED - known.names.length))
    emptied.set(lists.join(), known)
  }
  const worstFirst = [...emptied.values()].toSorted((a, b) => b.lists.length - a.lists.length)
  return { emptied: worstFirst, includesSelf: false, admins: 0, unapproved: 0 }
}

const NOTHING = { types: 'relatório', marcas: 'marca', estados: 'estado' }

/** Names who is left with nothing: ['Ficam sem relatório e marca: Ana Prado, Bruno Lima e mais 3.'] */
export function describeEmptied({ emptied }: ChangeNotes, isDone = false): string[] {
  const [one, several] = isDone ? ['Ficou', 'Ficaram'] : ['Fica', 'Ficam']
  return emptied.map(({ lists, count, names }) => {
    const rest = count > names.length ? ` e mais ${(count - names.length).toLocaleString('pt-BR')}` : ''
    const nothing = formatList(lists.map((list) => NOTHING[list]))
    return `${count === 1 ? one : several} sem ${nothing}: ${names.join(', ')}${rest}.`
  })
}

/** Says who among the chosen deserves a second look: 'Inclui a sua própria conta e 2 administradores.' */
export function describeChosen({ includesSelf, admins, unapproved }: ChangeNotes): string {
  const count = (number: number, one: string, several: string) =>
    number > 0 ? [`${number.toLocaleString('pt-BR')} ${number === 1 ? one : several}`] : []
  const who = formatList([
    ...(includesSelf ? ['a sua própria conta'] : []),
    ...count(admins, 'administrador', 'administradores'),
    ...count(unapproved, 'pessoa sem aprovação', 'pessoas sem aprovação'),
  ])
  return who && `Inclui ${who}.`
}

/** Both as one text, of a change that was made. */
export const describeNotes = (notes: ChangeNotes | undefined): string =>
  notes ? [...describeEmptied(notes, true), describeChosen(notes)].filter(Boolean).join(' ') : ''
