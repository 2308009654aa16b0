import { useEffect, useRef } from 'react'
import type { ReportSetting } from '#contract/report-settings.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { describeSetting } from './setting-form.ts'

interface ConflictNoticeProps {
  /** What the server said of it: who saved, and when. */
  detail: string | undefined
  /** What somebody else has saved meanwhile. */
  current: ReportSetting | undefined
  isBusy: boolean
  onUseCurrent: () => void
  onSaveMine: () => void
}

/** Somebody has saved the area elsewhere while it was being edited here: shows theirs and asks which one holds. */
export function ConflictNotice({ detail, current, isBusy, onUseCurrent, onSaveMine }: ConflictNoticeProps) {
  const place = useRef<HTMLDivElement>(null)
  // The button that was pressed stands at the other end of the form. Who is still typing is left where they are.
  useEffect(() => {
    if (detail) place.current?.scrollIntoView({ block: 'nearest' })
  }, [detail])
  return (
    <div ref={place} className="scroll-my-16">
      <Alert
        kind="warning"
        title="Esta área foi alterada enquanto você editava"
        actions={
          <>
            <Button variant="secondary" onClick={onUseCurrent}>
              Usar a versão atual
            </Button>
            <Button variant="secondary" isBusy={isBusy} onClick={onSaveMine}>
              Salvar a minha mesmo assim
            </Button>
          </>
        }
      >
        {detail && <p>{detail}</p>}
        <p className="mt-2 font-medium">Versão atual</p>
        <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5">
          {describeSetting(current).map(([label, value]) => (
            <div key={label} className="contents">
              <dt className="text-muted">{label}</dt>
              <dd className="min-w-0 break-all">{value}</dd>
            </div>
          ))}
        </dl>
      </Alert>
    </div>
  )
}
