import { useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { drawMark } from '#web/session/microsoft-mark.ts'
import { keepReturnPath } from '#web/session/session-end.ts'
import { Button } from '#web/ui/button.tsx'

/** 'Entrar com Microsoft': leaves the portal for the directory. */
export function MicrosoftButton() {
  const [isBusy, setIsBusy] = useState(false)
  const linked = useLocation({ select: ({ state }) => state.returnPath })
  return (
    <Button
      variant="secondary"
      size="large"
      className="w-full"
      isBusy={isBusy}
      onClick={async () => {
        setIsBusy(true)
        keepReturnPath(linked)
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
