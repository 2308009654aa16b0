import { useRef, useState } from 'react'
import type { FieldProblem } from '#contract/problem.ts'
import { checkReportSetting } from '#contract/report-settings.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { closeToasts, showToast } from '#web/ui/toast.tsx'
import { inputOf, SETTING_FIELDS, type SettingField, type SettingForm } from './setting-form.ts'

/** The errors of an area's form: beside the fields, as notices, and with the focus on the first field. */
export function useSettingErrors() {
  const [errors, setErrors] = useState<readonly FieldProblem[]>([])
  const formElement = useRef<HTMLFormElement>(null)

  function show(found: readonly FieldProblem[]): void {
    setErrors(found)
    for (const message of new Set(found.map(({ message }) => message)))
      showToast({ kind: 'error', title: message })
    const input = found[0] && formElement.current?.elements.namedItem(found[0].path)
    if (input instanceof HTMLElement) input.focus()
  }
  return {
    formElement,
    show,
    /** Says what is wrong with the form; true when it may be sent. */
    check(form: SettingForm): boolean {
      closeToasts()
      const input = inputOf(form)
      const found = input ? checkReportSetting(input, portalSettings.powerBiHosts) : []
      show(found)
      return found.length === 0
    },
    /** What has been changed is not wrong any more until it is checked again. */
    forget(fields: readonly SettingField[] = SETTING_FIELDS): void {
      setErrors((current) => current.filter(({ path }) => !(fields as readonly string[]).includes(path)))
    },
    errorOf: (field: SettingField) => errors.find(({ path }) => path === field)?.message,
  }
}
