import { refreshProfiles } from './profile-queries.ts'

/** The card that the table is in; it can have the focus. */
const CARD_ID = 'usuarios'

/**
 * Reads the table again after a change. Where the row or button that had the focus has gone with it, the card
 * takes it, so that the keyboard does not start at the top of the page.
 */
export async function refreshAndKeepFocus(): Promise<void> {
  await refreshProfiles()
  await keepFocus()
}

/** Gives the focus to the card where what had it has gone. */
export async function keepFocus(): Promise<void> {
  // By then the rows have been drawn.
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  if (document.activeElement === document.body)
    document.getElementById(CARD_ID)?.focus({ preventScroll: true })
}
