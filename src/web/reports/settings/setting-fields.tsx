import { LinkOffer } from './link-offer.tsx'
import { ModeChoice } from './mode-choice.tsx'
import { PrincipalFields } from './principal-fields.tsx'
import { RefusedAddressNote } from './refused-address-note.tsx'
import type { SettingField, SettingForm } from './setting-form.ts'
import { ShareUrlField } from './share-url-field.tsx'

interface SettingFieldsProps {
  form: SettingForm
  /** Whether the form says something else than what is saved. */
  isChanged: boolean
  errorOf: (field: SettingField) => string | undefined
  /** @param fields those that have changed; all of them unless said */
  onChange: (form: SettingForm, fields?: readonly SettingField[]) => void
}

/** The mode of an area, the fields of that mode, and what there is to say about their values. */
export function SettingFields({ form, isChanged, errorOf, onChange }: SettingFieldsProps) {
  const props = {
    form,
    errorOf,
    onChange: (field: SettingField, value: string) => onChange({ ...form, [field]: value }, [field]),
  }
  return (
    <>
      <ModeChoice mode={form.mode} onChange={(mode) => onChange({ ...form, mode })} />
      {form.mode === 'secure_sso' && <ShareUrlField {...props} />}
      {form.mode === 'service_principal' && <PrincipalFields {...props} />}
      <LinkOffer form={form} onAccept={onChange} />
      {!isChanged && <RefusedAddressNote form={form} />}
    </>
  )
}
