import { CONTACT_FIELDS, type ContactField } from './check-contact.ts'

const DRAFT_KEY = 'patio.contact-draft'

export type ContactDraft = Partial<Record<ContactField, string>>

/** What was typed and not yet sent; a reload of the page keeps it, the end of the browser's session does not. */
export function readDraft(): ContactDraft {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(DRAFT_KEY) ?? '{}')
    if (typeof stored !== 'object' || stored === null) return {}
    const known = Object.entries(stored).filter(
      ([field, value]) => CONTACT_FIELDS.includes(field as ContactField) && typeof value === 'string',
    )
    return Object.fromEntries(known)
  } catch {
    return {}
  }
}

/** Keeps what stands in the form. Where the browser refuses storage, the open page alone keeps it. */
export function keepDraft(draft: ContactDraft): void {
  try {
    sessionStorage.setItem(DRAFT_KEY, JSON.stringify(draft))
  } catch {
    // The fields still hold it.
  }
}

export function forgetDraft(): void {
  try {
    sessionStorage.removeItem(DRAFT_KEY)
  } catch {
    // Nothing was kept then.
  }
}
