import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { ReportFault } from '#contract/health.ts'
import type { ReportSetting } from '#contract/report-settings.ts'
import { toSaoPauloDay } from '#contract/user-rules.ts'
import { useSession } from '#web/session/session.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { ConfirmDialog } from '#web/ui/dialog.tsx'
import { LazyPart } from '#web/ui/lazy-part.tsx'
import { Skeleton } from '#web/ui/loading.tsx'
import { DataRefreshBar } from './data-refresh.tsx'
import { cacheSetting, useSaveSetting, useSettingErrors, useTestReport } from './save-setting.ts'
import { SettingFields } from './setting-fields.tsx'
import type { AreaView, Draft } from './setting-form.ts'
import { describeSetting, type SettingField, type SettingForm } from './setting-form.ts'
import { FailedReplacementDialog, ReportFaults, TestedLine } from './tested-line.tsx'

const MONTH_MS = 30 * 86_400_000
const loadFurtherReports = () => import('./further-reports.tsx')

interface SettingPanelProps {
  type: string
  slug: string
  area: AreaView
  current: ReportSetting | undefined
  /** Those of the area's reports. */
  faults: readonly ReportFault[]
  onDraft: (draft: Draft) => void
  onSaved: (form: SettingForm, setting: ReportSetting | undefined) => void
  onDrop: () => void
}

export function SettingPanel(props: SettingPanelProps) {
  const { type, slug, area, current, faults, onDraft, onSaved, onDrop } = props
  const reader = useSession()?.user.email
  const [isOpen, setIsOpen] = useState(false)
  const { form, seen } = area
  const errors = useSettingErrors()
  const saving = useSaveSetting({ type, slug, form, errors, onSaved })
  const testing = useTestReport(slug, form)

  const isTesting = testing.isBusy || saving.replacement.isTesting

  function change(next: SettingForm, fields?: readonly SettingField[]): void {
    errors.clear(fields)
    onDraft({ form: next, seen })
  }
  function drop(): void {
    errors.clear()
    saving.clearConflict()
    onDrop()
  }
  return (
    <>
      <form
        ref={errors.formElement}
        noValidate
        aria-label={`Relatório de ${type}`}
        onSubmit={(event) => {
          event.preventDefault()
          saving.save(seen)
        }}
        className="space-y-5"
      >
        {area.isStale && (
          <ConflictNotice
            detail={saving.conflict}
            current={current}
            isBusy={saving.isBusy}
            onUseCurrent={drop}
            onSaveMine={() => saving.save(current)}
          />
        )}
        <ReportFaults faults={faults} />
        <SettingFields
          form={form}
          isChanged={area.isChanged}
          getError={errors.getError}
          onChange={change}
          onChosen={(next) => {
            change(next)
            testing.test(next)
          }}
        />
        <div className="flex flex-col gap-3 border-line border-t pt-4 lg:flex-row lg:items-center">
          <div aria-live="polite" className="min-w-0 flex-1">
            {isTesting && <p className="text-muted text-sm">Testando o relatório…</p>}
            {!isTesting && testing.result && <TestedLine result={testing.result} />}
          </div>
          <div className="flex flex-col gap-2 sm:flex-row sm:justify-end">
            {area.isChanged && (
              <Button variant="ghost" onClick={drop}>
                Descartar alterações
              </Button>
            )}
            {form.mode !== 'none' && (
              <Button
                variant="secondary"
                isBusy={testing.isBusy}
                onClick={() => errors.check(form) && testing.test()}
              >
                Testar relatório
              </Button>
            )}
            <Button
              type="submit"
              // Primary once there is something to save: /admin has a primary button of its own.
              variant={area.isChanged ? 'primary' : 'secondary'}
              isBusy={saving.isBusy}
            >
              Salvar Configurações
            </Button>
          </div>
        </div>
        <ConfirmDialog
          isOpen={saving.isAsking}
          title={`Remover o relatório de ${type}?`}
          description={`A área ${type} deixa de aparecer para todas as pessoas que têm acesso a ela. Você pode desfazer por 24 horas, aqui ou na Auditoria.`}
          confirmLabel="Remover relatório"
          onConfirm={saving.confirm}
          onCancel={saving.cancel}
        />
        <FailedReplacementDialog title={type} test={saving.replacement} />
      </form>
      {current?.embed_mode === 'service_principal' && !area.isChanged && (
        <DataRefreshBar key={current.updated_at} type={type} slug={slug} />
      )}
      {current && (
        <LazyPart
          name="further-reports"
          load={loadFurtherReports}
          loading={<div className="h-[calc(4.5rem+1px)] max-sm:h-[calc(7.75rem+1px)]" />}
          failed="Os outros relatórios da área não puderam ser abertos agora."
          className="mt-4"
        >
          {({ FurtherReports }) => (
            <FurtherReports
              type={type}
              slug={slug}
              first={current}
              onFirstNamed={(setting) => {
                void cacheSetting(type, setting)
                // Of what is typed above, the name changes nothing.
                if (area.isChanged && !area.isStale) onDraft({ form, seen: setting })
              }}
            />
          )}
        </LazyPart>
      )}
      <details
        className="mt-4 border-line border-t pt-3"
        onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
      >
        <summary className="cursor-pointer font-medium text-sm">O que mudou por último</summary>
        {isOpen && (
          <LazyPart
            name="recent-entries"
            load={async () => ({
              ...(await import('#web/session/entry-actions.tsx')),
              ...(await import('#web/ui/recent-entries.tsx')),
            })}
            loading={<Skeleton className="h-28" />}
            failed="O que mudou não pôde ser lido agora."
          >
            {({ EntryActions, RecentEntries }) => (
              <RecentEntries
                filter={{ area: type, action: 'settings' }}
                reader={reader}
                actions={(entry) => <EntryActions entry={entry} />}
              />
            )}
          </LazyPart>
        )}
      </details>
      <p className="mt-4 flex flex-wrap gap-x-4 text-sm">
        <Link to="/admin/auditoria" search={{ area: type, action: 'settings' }} className={textLinkClasses}>
          O que mudou aqui
        </Link>
        <Link to="/admin/auditoria/acesso" search={{ area: slug }} className={textLinkClasses}>
          Quem vê esta área
        </Link>
        <Link
          to="/admin/auditoria"
          search={{ area: type, action: 'report-shown', from: toSaoPauloDay(Date.now() - MONTH_MS) }}
          className={textLinkClasses}
        >
          Quem abriu nos últimos 30 dias
        </Link>
      </p>
    </>
  )
}

interface ConflictNoticeProps {
  /** The server's description: who saved, and when. */
  detail: string | undefined
  current: ReportSetting | undefined
  isBusy: boolean
  onUseCurrent: () => void
  onSaveMine: () => void
}

/** Shows a concurrent change of the setting, and asks which version to keep. */
function ConflictNotice({ detail, current, isBusy, onUseCurrent, onSaveMine }: ConflictNoticeProps) {
  const place = useRef<HTMLDivElement>(null)
  // The save button is at the other end of the form; without a save the scroll position is kept.
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
