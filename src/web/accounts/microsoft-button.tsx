import { useState } from 'react'
import { MICROSOFT_MAIL_MS, MICROSOFT_SIGN_IN_MS } from '#contract/access.ts'
import { sharedStorage } from '#web/session/browser-storage.ts'
import { Button } from '#web/ui/button.tsx'

const MARK_KEY = 'patio.microsoft'

const toBase64Url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** Draws the mark without which nobody redeems what comes back. @returns its hash, for the server */
export async function drawMark(): Promise<string> {
  const mark = toBase64Url(crypto.getRandomValues(new Uint8Array(32)))
  const until = Date.now() + MICROSOFT_SIGN_IN_MS + MICROSOFT_MAIL_MS
  sharedStorage.set(MARK_KEY, JSON.stringify({ mark, until }))
  return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(mark))))
}

/** @returns the mark of the last beginning in this browser */
export function readMicrosoftMark(): string | undefined {
  try {
    const { mark, until } = JSON.parse(sharedStorage.get(MARK_KEY) ?? '{}')
    return typeof mark === 'string' && until > Date.now() ? mark : undefined
  } catch {
    return undefined
  }
}

export const forgetMicrosoftMark = () => sharedStorage.remove(MARK_KEY)

/** 'Entrar com Microsoft': leaves the portal for the directory. */
export function MicrosoftButton() {
  const [isBusy, setIsBusy] = useState(false)
  return (
    <Button
      variant="secondary"
      size="large"
      className="w-full"
      isBusy={isBusy}
      onClick={async () => {
        setIsBusy(true)
        window.location.assign(`/auth/microsoft?mark=${await drawMark()}`)
      }}
    >
      <svg aria-hidden="true" viewBox="0 0 21 21" className="size-4.5">
        <path fill="#f25022" d="M0 0h10v10H0z" />
        <path fill="#7fba00" d="M11 0h10v10H11z" />
        <path fill="#00a4ef" d="M0 11h10v10H0z" />
        <path fill="#ffb900" d="M11 11h10v10H11z" />
      </svg>
      Entrar com Microsoft
    </Button>
  )
}
