import type { SettingField, SettingForm } from './setting-form.ts'

/** What the fields of a mode are given. */
export interface FieldsProps {
  form: SettingForm
  errorOf: (field: SettingField) => string | undefined
  onChange: (field: SettingField, value: string) => void
}
