import { TextField } from '#web/ui/text-field.tsx'
import type { FieldsProps } from './fields-props.ts'

const FIELDS = [
  { name: 'workspace_id', label: 'Workspace ID' },
  { name: 'report_id', label: 'Report ID' },
  { name: 'dataset_id', label: 'Dataset ID (opcional)' },
] as const

/** The ids of a report that the portal opens with its own credentials. */
export function PrincipalFields({ form, errorOf, onChange }: FieldsProps) {
  return (
    <div className="space-y-2">
      <div className="grid items-start gap-4 lg:grid-cols-3">
        {FIELDS.map(({ name, label }) => (
          <TextField
            key={name}
            name={name}
            label={label}
            value={form[name]}
            error={errorOf(name)}
            onChange={(event) => onChange(name, event.currentTarget.value)}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            // An id has 36 characters; a whole link may be pasted to take the ids from.
            maxLength={2_000}
          />
        ))}
      </div>
      <p className="text-muted text-sm">
        Os IDs estão no endereço do relatório no Power BI. Você pode colar o link inteiro em um dos campos.
      </p>
    </div>
  )
}
