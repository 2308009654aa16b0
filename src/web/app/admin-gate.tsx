import { Outlet, useMatches, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { adminMessages } from '#contract/user-rules.ts'
import { showToast } from '#web/ui/toast.tsx'
import { useKnownRole } from './use-role.ts'

// On its way with the screen itself, so that the header does not grow after it.
import('./admin-links.tsx').catch(() => {})

/**
 * Lets administrators through to the screens below and sends everyone else to /power-bi, also when the role is taken
 * away later; whether they are told why is the screen's choice (`isRefusalTold`).
 */
export function AdminGate() {
  const { role, isKnown } = useKnownRole()
  const navigate = useNavigate()
  const isRefusalTold = useMatches({
    select: (matches) => matches.some(({ staticData }) => staticData.isRefusalTold),
  })
  const isRefused = isKnown && role === 'user'
  useEffect(() => {
    if (!isRefused) return
    if (isRefusalTold) showToast({ kind: 'error', title: adminMessages.accessDenied })
    void navigate({ to: '/power-bi', replace: true })
  }, [isRefused, isRefusalTold, navigate])
  return role === 'admin' ? <Outlet /> : null
}
