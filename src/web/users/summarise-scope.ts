import { ESTADOS, MARCAS, orderTypes, TYPES } from '#contract/catalogue.ts'
import type { ManagedProfile } from '#contract/users.ts'

/** What a person may see of one kind, in few words. */
export interface ScopePart {
  label: string
  text: string
  isEmpty: boolean
}

/** A person's three lists for the table: 'Tipos: Vendas, CRM', 'Marcas: Todas', 'Estados: Nenhum'. */
export function summariseScope({ types, marcas, estados }: ManagedProfile): ScopePart[] {
  return [
    partOf('Tipos', orderTypes(types), TYPES, 'Todos', 'Nenhum'),
    partOf('Marcas', marcas, MARCAS, 'Todas', 'Nenhuma'),
    partOf('Estados', estados, ESTADOS, 'Todos', 'Nenhum'),
  ]
}

function partOf(
  label: string,
  given: readonly string[],
  every: readonly string[],
  all: string,
  none: string,
): ScopePart {
  const isEmpty = given.length === 0
  const isAll = given.length === every.length && every.every((item) => given.includes(item))
  return { label, text: isEmpty ? none : isAll ? all : given.join(', '), isEmpty }
}
