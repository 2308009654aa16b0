import { type Selection, selectionSize } from './selection.ts'

const numbers = new Intl.NumberFormat('pt-BR')

/** 9873 → '9.873 usuários'. */
export function usersInWords(count: number): string {
  return `${numbers.format(count)} ${count === 1 ? 'usuário' : 'usuários'}`
}

/** How many match: '312 usuários', or with a filter '12 de 312 usuários'. */
export function matchesInWords(matching: number, everybody: number | undefined, isFiltered: boolean): string {
  if (!isFiltered || everybody === undefined) return usersInWords(matching)
  return `${numbers.format(matching)} de ${usersInWords(everybody)}`
}

/** Who is selected: '3 usuários selecionados', 'Todos os 9.873 usuários que correspondem estão selecionados, menos 2'. */
export function selectionInWords(selection: Selection): string {
  if (selection.kind === 'some') {
    const count = selectionSize(selection)
    return `${usersInWords(count)} ${count === 1 ? 'selecionado' : 'selecionados'}`
  }
  const { count, except, filter } = selection
  const isFiltered = Object.keys(filter).length > 0
  if (count === 1) return `O único usuário${isFiltered ? ' que corresponde' : ''} está selecionado`
  const all = `Todos os ${usersInWords(count)}${isFiltered ? ' que correspondem' : ''} estão selecionados`
  return except.length > 0 ? `${all}, menos ${numbers.format(except.length)}` : all
}
