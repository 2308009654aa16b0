import type { Catalogue } from './catalogue.ts'

/** The areas, brands and states of the migrations, for the demo and tests, and as a default. */
export const TYPES = [
  'Vendas',
  'Oficina',
  'HPD',
  'CRM',
  'Marketing',
  'Gerentes',
  'Operadores',
  'Administrativo',
  'Slack',
]
export const MARCAS = ['FIAT', 'GAC', 'GM', 'GWM', 'HONDA', 'HYUN', 'JEEP', 'OMJA', 'TOYO', 'VW']
export const ESTADOS = ['RJ', 'ES', 'MG', 'PR']

const createItems = (labels: string[], toCode = (label: string) => label) =>
  labels.map((label, index) => ({ code: toCode(label), label, position: index + 1, archived: false }))

export const SEEDED_CATALOGUE: Catalogue = {
  version: 1,
  types: createItems(TYPES, (label) => label.toLowerCase()),
  marcas: createItems(MARCAS),
  estados: createItems(ESTADOS),
}
