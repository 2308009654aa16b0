import { type FormEvent, useState } from 'react'
import type { AccessType } from '#contract/catalogue.ts'
import type { ReportSetting } from '#contract/report-settings.ts'
import type { SettingForm } from './setting-form.ts'
import { useSaveSetting } from './use-save-setting.ts'
import type { useSettingErrors } from './use-setting-errors.ts'

interface SavingOptions {
  type: AccessType
  form: SettingForm
  /** What the administrator saw when the changes began. */
  seen: ReportSetting | undefined
  errors: ReturnType<typeof useSettingErrors>
  onSaved: (form: SettingForm, setting: ReportSetting | undefined) => void
}

/** 'Salvar Configurações' from the press of the button: check, ask before a report is removed, send. */
export function useSaving({ type, form, seen, errors, onSaved }: SavingOptions) {
  /** What somebody else saved meanwhile, in the server's words. */
  const [conflict, setConflict] = useState<string>()
  /** The setting that is about to be removed, while the administrator is being asked. */
  const [removing, setRemoving] = useState<ReportSetting>()
  const { mutate, isPending } = useSaveSetting(type, {
    onSaved,
    onRefused: errors.show,
    onOvertaken: setConflict,
  })

  /** @param base the setting that may be overwritten */
  function save(base: ReportSetting | undefined): void {
    if (isPending || !errors.check(form)) return
    setConflict(undefined)
    if (form.mode === 'none' && base) setRemoving(base)
    else mutate({ form, seen: base })
  }
  return {
    isBusy: isPending,
    conflict,
    save,
    submit(event: FormEvent): void {
      event.preventDefault()
      save(seen)
    },
    isAsking: removing !== undefined,
    /** The conflict is over: nothing of one's own is left to save. */
    forgetConflict: () => setConflict(undefined),
    cancel: () => setRemoving(undefined),
    confirm(): void {
      setRemoving(undefined)
      mutate({ form, seen: removing })
    },
  }
}
