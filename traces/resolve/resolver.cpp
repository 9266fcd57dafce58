#include "traces/resolve/resolver.h"

#include "traces/resolve/engine.h"

namespace fcsim::traces::resolve {

Resolver::Resolver(ResolverOptions options, const model::InitialState& initial)
    : engine_(std::make_unique<Engine>(std::move(options), initial)) {}
Resolver::~Resolver() = default;
Resolver::Resolver(Resolver&&) noexcept = default;
Resolver& Resolver::operator=(Resolver&&) noexcept = default;

void Resolver::resolve(const Event& event, std::vector<model::Operation>& out) {
  engine_->resolve(event, out);
}

void Resolver::finish(std::vector<model::Operation>& out) {
  engine_->finish(out);
}

bool Resolver::idle() const {
  return engine_->idle();
}

void Resolver::end_processes(std::vector<model::Operation>& out) {
  engine_->end_processes(out);
}

void Resolver::set_mount_point(const std::string& mount_point) {
  engine_->set_mount_point(mount_point);
}

const std::string& Resolver::mount_point() const {
  return engine_->mount_point();
}

const Sightings& Resolver::sightings() const {
  return engine_->sightings();
}

std::map<std::string, std::uint64_t> Resolver::unsupported() const {
  return engine_->unsupported();
}

std::vector<std::string> Resolver::assumed() const {
  return engine_->assumed();
}

std::string Resolver::path_of(model::FileId file) const {
  return engine_->path_of(file);
}

std::string Resolver::path_of_descriptor(std::int32_t pid, std::int32_t fd) const {
  return engine_->path_of_descriptor(pid, fd);
}

model::FileId Resolver::file_of_descriptor(std::int32_t pid, std::int32_t fd) const {
  return engine_->file_of_descriptor(pid, fd);
}

model::FileId Resolver::file_at(std::string_view absolute_path) const {
  return engine_->file_at(absolute_path);
}

}  // namespace fcsim::traces::resolve
