/** As much of Google's script as the portal uses: https://developers.google.com/recaptcha/docs/display */
export interface Recaptcha {
  ready: (callback: () => void) => void
  render: (
    element: HTMLElement,
    options: {
      sitekey: string
      theme: 'light' | 'dark'
      callback: (answer: string) => void
      'expired-callback': () => void
      'error-callback': () => void
    },
  ) => number
  getResponse: (id: number) => string
  reset: (id: number) => void
}

const SCRIPT = 'https://www.google.com/recaptcha/api.js?render=explicit&hl=pt-BR'
/** A blocker may swallow the script without an error, so waiting ends after this (ms). */
const TIMEOUT_MS = 15_000

let loading: Promise<Recaptcha> | undefined

/**
 * Loads Google's script once; a failed attempt may be repeated.
 * @throws Error when it is blocked or does not come
 */
export function loadRecaptcha(): Promise<Recaptcha> {
  loading ??= new Promise<Recaptcha>((resolve, reject) => {
    const script = document.createElement('script')
    const fail = () => {
      script.remove()
      loading = undefined
      reject(new Error('reCAPTCHA did not load'))
    }
    const timer = setTimeout(fail, TIMEOUT_MS)
    script.src = SCRIPT
    script.async = true
    script.onerror = () => {
      clearTimeout(timer)
      fail()
    }
    script.onload = () => {
      const { grecaptcha } = globalThis as { grecaptcha?: Recaptcha }
      grecaptcha?.ready(() => {
        clearTimeout(timer)
        resolve(grecaptcha)
      })
    }
    document.head.append(script)
  })
  return loading
}
