import Households
import TuttiRuntime

/// A household for a process that changes nothing: what others bring of it holds for the process alone.
struct UnkeptHousehold: HouseholdStore {
    let kept: any HouseholdStore

    func load() throws(MemoryFailure) -> Household? { try kept.load() }

    func change(
        _ body: (inout Household?) throws(HouseholdError) -> Void
    ) throws(MemoryFailure) -> Result<Household?, HouseholdError> {
        var household = try kept.load()
        do throws(HouseholdError) { try body(&household) } catch { return .failure(error) }
        return .success(household)
    }

    func version() -> HouseholdVersion { kept.version() }
}
