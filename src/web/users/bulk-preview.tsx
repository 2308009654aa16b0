import { adminMessages } from '#contract/users.ts'
import { Button } from '#web/ui/button.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { describePreview } from './bulk-edit.ts'
import { isConflict } from './is-conflict.ts'
import type { BulkPreview as Preview } from './use-bulk-preview.ts'

interface BulkPreviewProps {
  preview: Preview
  /** What has to be there before there is an effect. */
  lack: string | undefined
}

/** Says what a bulk edit would do, and offers to calculate it again where that failed. */
export function BulkPreview({ preview, lack }: BulkPreviewProps) {
  const { failure, isCalculating, recalculate } = preview
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-lg bg-subtle px-3 py-2.5 text-sm">
      <p role="status" className={classNames('min-h-5 tabular-nums', isCalculating && 'text-muted')}>
        {lack ? hintOf(lack) : sentenceOf(preview)}
      </p>
      {failure && (
        <Button variant="secondary" onClick={recalculate}>
          Calcular novamente
        </Button>
      )}
    </div>
  )
}

/** What is not ticked yet is no fault before somebody has tried to save. */
function hintOf(lack: string): string {
  if (lack !== adminMessages.bulkNothing) return `${lack}.`
  return 'Marque o que deve mudar para ver o efeito antes de salvar.'
}

function sentenceOf({ effect, failure }: Preview): string {
  if (failure)
    return isConflict(failure) ? failure.message : `Não foi possível calcular o efeito. ${failure.message}`
  return effect ? describePreview(effect) : 'Calculando o efeito…'
}
