import { ESTADOS, MARCAS, TYPES } from '#contract/catalogue.ts'
import type { ProfileFilter } from '#contract/users.ts'
import { Button } from '#web/ui/button.tsx'
import { FilterSelect } from './filter-select.tsx'

const STATUSES = [
  ['true', 'Aprovado'],
  ['false', 'Pendente'],
] as const
const ANSWERS = [
  ['true', 'Verificado'],
  ['false', 'Pendente'],
] as const
const sameWords = (values: readonly string[]) => values.map((value) => [value, value] as const)
const LISTS = [
  { name: 'type', label: 'Filtrar por tipo de acesso', every: 'Tipo: todos', options: sameWords(TYPES) },
  { name: 'marca', label: 'Filtrar por marca', every: 'Marca: todas', options: sameWords(MARCAS) },
  { name: 'estado', label: 'Filtrar por estado', every: 'Estado: todos', options: sameWords(ESTADOS) },
] as const

interface FiltersProps {
  filter: ProfileFilter
  onChange: (filter: ProfileFilter) => void
}

/** What narrows the table besides the search. */
export function Filters({ filter, onChange }: FiltersProps) {
  const flagOf = (value: string | undefined) => (value === undefined ? undefined : value === 'true')
  return (
    <>
      <FilterSelect
        label="Filtrar por status"
        every="Status: todos"
        options={STATUSES}
        value={filter.approved?.toString()}
        onChange={(value) => onChange({ ...filter, approved: flagOf(value) })}
      />
      <FilterSelect
        label="Filtrar por e-mail verificado"
        every="E-mail: todos"
        options={ANSWERS}
        value={filter.verified?.toString()}
        onChange={(value) => onChange({ ...filter, verified: flagOf(value) })}
      />
      {LISTS.map(({ name, label, every, options }) => (
        <FilterSelect
          key={name}
          label={label}
          every={every}
          options={options}
          value={filter[name]}
          onChange={(value) => onChange({ ...filter, [name]: value })}
        />
      ))}
      <Button
        variant="ghost"
        disabled={Object.keys(filter).length === 0}
        onClick={() => onChange({})}
        className="px-3"
      >
        Limpar filtros
      </Button>
    </>
  )
}
