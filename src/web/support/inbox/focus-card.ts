/** A dialog that closes looks for its own place for the focus first, and finds none. */
const AFTER_DIALOG_MS = 150

/** Puts the focus on a card, or on the last one: what had it is gone. */
export function focusCard(index: number): void {
  setTimeout(() => {
    const isLost = !document.activeElement || document.activeElement === document.body
    const cards = document.querySelectorAll<HTMLElement>('#conteudo li > article')
    const card = document.querySelector<HTMLElement>(`#conteudo li[data-index="${index}"] > article`)
    if (isLost) (card ?? [...cards].at(-1))?.focus({ preventScroll: true })
  }, AFTER_DIALOG_MS)
}
