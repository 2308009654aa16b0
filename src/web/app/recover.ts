// Runs before the page's other scripts, which may be missing: a file of its own, whose name stays.
const STORAGE_KEY = 'patio.recovered-at'
const RELOAD_AFTER_MS = 2_000
const MIN_PAUSE_MS = 60_000

/** Says that the page is incomplete, and reloads it unless that has just been tried. */
function recover(): void {
  const message = document.createElement('p')
  message.role = 'alert'
  message.textContent = 'Não foi possível carregar o portal. Verifique sua internet e recarregue a página.'
  message.style.cssText = 'margin:1rem;text-align:center'
  document.body.prepend(message)
  try {
    const { sessionStorage: storage } = window
    if (Date.now() - Number(storage.getItem(STORAGE_KEY)) < MIN_PAUSE_MS) return
    storage.setItem(STORAGE_KEY, String(Date.now()))
    setTimeout(() => location.reload(), RELOAD_AFTER_MS)
  } catch {
    // Without storage it might reload for ever.
  }
}

addEventListener(
  'error',
  ({ target }) => {
    if (target instanceof HTMLScriptElement && target.type === 'module') recover()
  },
  true,
)
// Style sheets are loaded, or have failed, before a deferred script runs. A failed one is empty.
const sheets = document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet][href^="/assets/"]')
if ([...sheets].some(({ sheet }) => !sheet?.cssRules.length)) recover()
