import type { ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import type { AreaView } from './drafts.ts'

interface SettingActionsProps {
  area: AreaView
  isSaving: boolean
  isTesting: boolean
  onTest: () => void
  onDiscard: () => void
  /** How the last test went. */
  children: ReactNode
}

/** The last row of an area's form: how it stands, and what can be done. */
export function SettingActions({
  area,
  isSaving,
  isTesting,
  onTest,
  onDiscard,
  children,
}: SettingActionsProps) {
  return (
    <div className="flex flex-col gap-3 border-line border-t pt-4 lg:flex-row lg:items-center">
      <div className="min-w-0 flex-1">{children}</div>
      <div className="flex flex-col gap-2 sm:flex-row sm:justify-end">
        {area.isChanged && (
          <Button variant="ghost" onClick={onDiscard}>
            Descartar alterações
          </Button>
        )}
        {area.form.mode !== 'none' && (
          <Button variant="secondary" isBusy={isTesting} onClick={onTest}>
            Testar relatório
          </Button>
        )}
        <Button type="submit" isBusy={isSaving}>
          Salvar Configurações
        </Button>
      </div>
    </div>
  )
}
