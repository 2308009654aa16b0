import { RadioGroup } from '#web/ui/radio-group.tsx'
import type { FormMode } from './setting-form.ts'

const OPTIONS = [
  { value: 'none', label: 'Nenhum', hint: 'A área não mostra relatório.' },
  {
    value: 'secure_sso',
    label: 'URL Direta (SSO)',
    hint: 'Um link; cada pessoa entra com a própria conta.',
  },
  {
    value: 'service_principal',
    label: 'Service Principal',
    hint: 'Exige credenciais configuradas no servidor.',
  },
] as const

/** How an area gets its report (SPEC section 2, 'authentication mode choice'). */
export function ModeChoice({ mode, onChange }: { mode: FormMode; onChange: (mode: FormMode) => void }) {
  return (
    <RadioGroup
      label="Modo de autenticação"
      options={OPTIONS}
      value={mode}
      onChange={onChange}
      className="md:grid-cols-3"
    />
  )
}
