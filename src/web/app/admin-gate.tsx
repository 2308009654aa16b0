import './admin.css'
import { Outlet, useMatches, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { adminMessages } from '#contract/user-rules.ts'
import { showToast } from '#web/ui/toast.tsx'
import { AdminRail } from './admin-rail.tsx'
import { useKnownRole } from './use-role.ts'

// Prefetched with the screen, so that the header does not grow later.
import('./admin-links.tsx').catch(() => {})

const TAKEN =
  'Seu papel de administrador acaba de ser retirado; seus relatórios continuam. Se não esperava por isso, fale com outro administrador.'

/**
 * Shows the screens below to administrators, next to the rail, and redirects everyone else
 * to /power-bi, also when the role is revoked later; only /mensagens does so without a toast.
 */
export function AdminGate() {
  const { role, isKnown } = useKnownRole()
  const navigate = useNavigate()
  const path = useMatches({ select: (matches) => matches.at(-1)?.fullPath })
  const isRefused = isKnown && role === 'user'
  const isSilent = path === '/mensagens'
  const wasAdmin = useRef(false)
  useEffect(() => {
    if (role === 'admin') wasAdmin.current = true
    if (!isRefused) return
    const title = adminMessages.accessDenied
    if (wasAdmin.current) showToast({ kind: 'warning', title, description: TAKEN })
    else if (!isSilent) showToast({ kind: 'error', title })
    void navigate({ to: '/power-bi', replace: true })
  }, [role, isRefused, isSilent, navigate])
  if (role !== 'admin') return null
  // A report gets all the room there is.
  if (path === '/admin/ver-como/$userId') return <Outlet />
  return (
    <div className="flex-1 xl:flex">
      <AdminRail />
      <div className="min-w-0 flex-1">
        <Outlet />
      </div>
    </div>
  )
}
