import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'

/**
 * The selected area lives in the address, /power-bi?area=Oficina, so that it can be linked to and the back
 * button returns to it. Without one, or with one that is not among `areas`, the first is selected.
 */
export function useSelectedArea(areas: readonly string[]) {
  const { area } = useSearch({ strict: false }) as { area?: string }
  const navigate = useNavigate()
  const isKnown = area !== undefined && areas.includes(area)
  const selected = isKnown ? area : areas[0]
  const mustForget = area !== undefined && !isKnown && areas.length > 0

  useEffect(() => {
    if (mustForget) void navigate({ to: '/power-bi', search: {}, replace: true })
  }, [mustForget, navigate])

  function select(next: string): void {
    if (next !== selected) void navigate({ to: '/power-bi', search: { area: next } })
  }
  return { selected, select }
}
