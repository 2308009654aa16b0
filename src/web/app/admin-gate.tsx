import './admin.css'
import { Outlet, useMatches, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { adminMessages } from '#contract/user-rules.ts'
import { showToast } from '#web/ui/toast.tsx'
import { useKnownRole } from './use-role.ts'

// Prefetched with the screen, so that the header does not grow later.
import('./admin-links.tsx').catch(() => {})

/**
 * Shows the screens below to administrators and redirects everyone
 * else to /power-bi, also when the role is revoked later. The route's
 * `showsAccessDenied` decides whether a toast explains the redirect.
 */
export function AdminGate() {
  const { role, isKnown } = useKnownRole()
  const navigate = useNavigate()
  const showsAccessDenied = useMatches({
    select: (matches) => matches.some(({ staticData }) => staticData.showsAccessDenied),
  })
  const isRefused = isKnown && role === 'user'
  useEffect(() => {
    if (!isRefused) return
    if (showsAccessDenied) showToast({ kind: 'error', title: adminMessages.accessDenied })
    void navigate({ to: '/power-bi', replace: true })
  }, [isRefused, showsAccessDenied, navigate])
  return role === 'admin' ? <Outlet /> : null
}
