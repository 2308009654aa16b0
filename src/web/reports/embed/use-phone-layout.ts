import type { Report } from 'powerbi-client'
import { useEffect, useState } from 'react'
import type { PowerBi } from './powerbi-client.ts'

const PHONE = '(max-width: 639px)'

/**
 * Which layout a report is shown in: the phone's own where the screen is narrow and the report has one.
 * Whether it has one is only known once it has loaded, so it is remembered for the next time; a report whose
 * layout turns out to be the wrong one is opened again.
 */
export function usePhoneLayout(reportId: string) {
  const isNarrow = useIsNarrow()
  const [hasLayout, setHasLayout] = useState(() => localStorage.getItem(memoryOf(reportId)) === 'yes')

  async function learnLayout(report: Report, { models }: PowerBi): Promise<void> {
    if (!matchMedia(PHONE).matches) return
    const found = await hasPhoneLayout(report, models)
    localStorage.setItem(memoryOf(reportId), found ? 'yes' : 'no')
    setHasLayout(found)
  }
  const layout: 'phone' | 'desktop' = isNarrow && hasLayout ? 'phone' : 'desktop'
  return { layout, learnLayout }
}

function memoryOf(reportId: string): string {
  return `patio.phone-layout.${reportId}`
}

/** A report that cannot say whether it has a phone layout is treated as having none. */
async function hasPhoneLayout(report: Report, models: PowerBi['models']): Promise<boolean> {
  try {
    const page = await report.getActivePage()
    return await page.hasLayout(models.LayoutType.MobilePortrait)
  } catch {
    return false
  }
}

function useIsNarrow(): boolean {
  const [isNarrow, setIsNarrow] = useState(() => matchMedia(PHONE).matches)
  useEffect(() => {
    const list = matchMedia(PHONE)
    const onChange = () => setIsNarrow(list.matches)
    onChange()
    list.addEventListener('change', onChange)
    return () => list.removeEventListener('change', onChange)
  }, [])
  return isNarrow
}
