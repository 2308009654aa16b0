import type { AccessType } from '#contract/catalogue.ts'
import type { ReportSetting } from '#contract/report-settings.ts'
import { ConflictNotice } from './conflict-notice.tsx'
import type { AreaView, Draft } from './drafts.ts'
import { RemoveDialog } from './remove-dialog.tsx'
import { SettingActions } from './setting-actions.tsx'
import { SettingFields } from './setting-fields.tsx'
import type { SettingField, SettingForm } from './setting-form.ts'
import { TestResult } from './test-result.tsx'
import { useSaving } from './use-saving.ts'
import { useSettingErrors } from './use-setting-errors.ts'
import { useTestReport } from './use-test-report.ts'

interface SettingPanelProps {
  type: AccessType
  area: AreaView
  /** What is saved, as far as is known here. */
  current: ReportSetting | undefined
  onDraft: (draft: Draft) => void
  onSaved: (form: SettingForm, setting: ReportSetting | undefined) => void
  onDrop: () => void
}

/** The form of one area: mode, fields, test, save (SPEC section 2, /admin, card 1). */
export function SettingPanel({ type, area, current, onDraft, onSaved, onDrop }: SettingPanelProps) {
  const { form, seen } = area
  const errors = useSettingErrors()
  const saving = useSaving({ type, form, seen, errors, onSaved })
  const testing = useTestReport(type, form)

  function change(next: SettingForm, fields?: readonly SettingField[]): void {
    errors.forget(fields)
    onDraft({ form: next, seen })
  }
  function drop(): void {
    errors.forget()
    saving.forgetConflict()
    onDrop()
  }
  return (
    <form
      ref={errors.formElement}
      noValidate
      aria-label={`Relatório de ${type}`}
      onSubmit={saving.submit}
      className="space-y-5"
    >
      {area.isOvertaken && (
        <ConflictNotice
          detail={saving.conflict}
          current={current}
          isBusy={saving.isBusy}
          onUseCurrent={drop}
          onSaveMine={() => saving.save(current)}
        />
      )}
      <SettingFields form={form} isChanged={area.isChanged} errorOf={errors.errorOf} onChange={change} />
      <SettingActions
        area={area}
        isSaving={saving.isBusy}
        isTesting={testing.isBusy}
        onTest={() => errors.check(form) && testing.test()}
        onDiscard={drop}
      >
        <TestResult isBusy={testing.isBusy} reply={testing.reply} failure={testing.failure} />
      </SettingActions>
      <RemoveDialog
        type={type}
        isOpen={saving.isAsking}
        onCancel={saving.cancel}
        onConfirm={saving.confirm}
      />
    </form>
  )
}
