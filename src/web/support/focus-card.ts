/** A dialog that closes looks for its own place for the focus first, and finds none. */
const AFTER_DIALOG_MS = 150
/** A dialog that still stands after so many looks is another one. */
const MOST_LOOKS = 20

/** Puts the focus on a card, or on the last one: what had it is gone. */
export function focusCard(index: number, looks = 1): void {
  setTimeout(() => {
    // On a busy machine it takes longer to close.
    if (looks < MOST_LOOKS && document.querySelector('[role="dialog"]')) return focusCard(index, looks + 1)
    const isLost = !document.activeElement || document.activeElement === document.body
    const cards = document.querySelectorAll<HTMLElement>('#conteudo li > article')
    const card = document.querySelector<HTMLElement>(`#conteudo li[data-index="${index}"] > article`)
    if (isLost) (card ?? [...cards].at(-1))?.focus({ preventScroll: true })
  }, AFTER_DIALOG_MS)
}
