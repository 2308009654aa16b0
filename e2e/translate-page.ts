/**
 * Runs in the page: replaces every text node, also later ones, by one within two <font> elements, as
 * Chrome's
 * translation does. React keeps the nodes that are replaced. The words stay, so that tests find them.
 */
export function translatePage(): void {
  const wrap = (text: Text) => {
    const inner = document.createElement('font')
    inner.textContent = text.data
    const outer = document.createElement('font')
    outer.append(inner)
    text.replaceWith(outer)
  }
  const translate = () => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const texts: Text[] = []
    while (walker.nextNode()) texts.push(walker.currentNode as Text)
    for (const text of texts)
      if (text.data.trim() && !text.parentElement?.closest('font, script, style, textarea, svg')) wrap(text)
  }
  const begin = () => {
    translate()
    new MutationObserver(translate).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
    })
  }
  document.addEventListener('DOMContentLoaded', () => {
    // Chrome waits for the page to be idle; a prerendered screen is hydrated by then.
    requestIdleCallback(begin)
  })
}

/**
 * Runs in the page: lists the texts for which React keeps a text node. It removes that node, inserts
 * before it or changes it later, which fails or is not seen once the node was replaced.
 */
export function listLooseTexts(): string[] {
  interface Fiber {
    tag: number
    memoizedProps: unknown
    child: Fiber | null
    sibling: Fiber | null
  }
  const HOST_TEXT = 6
  const texts: string[] = []
  const visit = (fiber: Fiber | null): void => {
    for (let each = fiber; each; each = each.sibling) {
      if (each.tag === HOST_TEXT && String(each.memoizedProps).trim()) texts.push(String(each.memoizedProps))
      visit(each.child)
    }
  }
  const container = Object.entries(document.getElementById('root') ?? {}).find(([key]) =>
    key.startsWith('__reactContainer$'),
  )
  if (container) visit((container[1] as { stateNode: { current: Fiber } }).stateNode.current)
  return texts
}
