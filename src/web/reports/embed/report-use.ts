/** What the SDK tells of when somebody uses a report; its frame swallows mouse and keys (DESIGN section 3). */
const USES = [
  'pageChanged',
  'dataSelected',
  'visualClicked',
  'buttonClicked',
  'selectionChanged',
  'filtersApplied',
] as const

/** Calls back when the person uses the report in this element, not when the portal or the report itself acts. */
export function listenToUse(element: HTMLElement, signal: AbortSignal, onUse: () => void): void {
  for (const name of USES) {
    const onEvent = (event: Event) => {
      const { initiator } = (event as CustomEvent<{ initiator?: string } | null>).detail ?? {}
      // Filters are the portal's own unless the person is named; anything else only when it says 'sdk'.
      if (name === 'filtersApplied' ? initiator === 'user' : initiator !== 'sdk') onUse()
    }
    element.addEventListener(name, onEvent, { signal })
  }
}
