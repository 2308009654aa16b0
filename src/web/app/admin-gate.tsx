import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { showToast } from '#web/ui/toast.tsx'
import { SignedInLayout } from './signed-in-layout.tsx'
import { useKnownRole } from './use-role.ts'

// On its way with the screen itself, so that the header does not grow after it.
import('./admin-links.tsx').catch(() => {})

interface AdminGateProps {
  /** What people are told whom it turns away; nothing when left out (SPEC section 6). */
  refusal?: string
  children: ReactNode
}

/** Lets administrators through and sends everybody else to /power-bi, also when the role is taken away later. */
export function AdminGate({ refusal, children }: AdminGateProps) {
  const { role, isKnown } = useKnownRole()
  const navigate = useNavigate()
  const isRefused = isKnown && role === 'user'
  useEffect(() => {
    if (!isRefused) return
    if (refusal) showToast({ kind: 'error', title: refusal })
    void navigate({ to: '/power-bi', replace: true })
  }, [isRefused, refusal, navigate])
  return role === 'admin' ? children : <SignedInLayout>{null}</SignedInLayout>
}
