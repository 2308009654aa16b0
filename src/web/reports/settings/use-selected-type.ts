import { useNavigate, useSearch } from '@tanstack/react-router'
import { type AccessType, TYPES, typeOfSlug } from '#contract/catalogue.ts'

/** The area whose setting is shown lives in the address, /admin?area=Oficina; the first one without it. */
export function useSelectedType() {
  const { area } = useSearch({ strict: false }) as { area?: unknown }
  const navigate = useNavigate()
  const selected = (typeof area === 'string' && typeOfSlug(area)) || TYPES[0]

  function select(type: AccessType): void {
    void navigate({
      to: '/admin',
      search: (search) => ({ ...search, area: type }),
      replace: true,
      resetScroll: false,
    })
  }
  return { selected, select }
}
