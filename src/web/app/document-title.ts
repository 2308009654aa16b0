import { useEffect } from 'react'
import { portalSettings } from '#web/http/portal-settings.ts'

const PRODUCT = 'Pátio'

/** Names the browser tab after the screen: 'Entrar · Pátio', with the group's name where it says more. */
export function useDocumentTitle(screen: string | undefined): void {
  useEffect(() => {
    const { groupName } = portalSettings
    const owner = groupName.includes(PRODUCT) ? groupName : `${PRODUCT} ${groupName}`
    document.title = screen ? `${screen} · ${owner}` : owner
  }, [screen])
}
