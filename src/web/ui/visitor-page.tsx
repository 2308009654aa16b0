import type { ReactNode } from 'react'
import { portalSettings } from '#web/http/portal-settings.ts'
import { BrandMark } from './brand-mark.tsx'
import { Footer } from './footer.tsx'
import './yard.css'

interface VisitorPageProps {
  title: string
  description?: ReactNode
  children: ReactNode
}

export function VisitorPage({ title, description, children }: VisitorPageProps) {
  return (
    <div className="grid min-h-dvh grid-cols-[minmax(0,1fr)] lg:grid-cols-[minmax(30rem,2fr)_3fr]">
      <div className="flex min-h-dvh flex-col bg-surface">
        <header className="px-6 pt-6 sm:px-10 sm:pt-8">
          <BrandMark />
        </header>
        <main className="flex flex-1 flex-col justify-center px-6 py-10 sm:px-10">
          <div className="mx-auto w-full max-w-sm space-y-8">
            <div className="space-y-2">
              <h1 className="font-semibold text-[1.75rem] leading-tight tracking-tight">{title}</h1>
              {description && <p className="text-muted text-sm">{description}</p>}
            </div>
            {children}
          </div>
        </main>
        <Footer />
      </div>
      <BrandPanel />
    </div>
  )
}

/** A yard seen from above: rows of bays in the group's colour, with what the portal is for. */
function BrandPanel() {
  return (
    <aside
      aria-label="Sobre o portal"
      className="yard relative hidden overflow-hidden lg:flex lg:flex-col lg:justify-end"
    >
      <div className="relative max-w-xl space-y-4 p-14">
        <p className="text-balance font-semibold text-4xl text-white leading-[1.15] tracking-tight">
          Os números da sua loja, em um só lugar.
        </p>
        <p className="max-w-md text-base text-white/75 leading-relaxed">
          Vendas, oficina e gestão nos relatórios do {portalSettings.groupName}, com as marcas e os estados
          que são seus.
        </p>
      </div>
    </aside>
  )
}
